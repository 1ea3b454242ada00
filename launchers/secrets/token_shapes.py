"""Token shapes: secrets that show by themselves, because services begin (or end) them alike.

| what | how it begins |
| --- | --- |
| GitHub, GitLab | ghp_ gho_ ghu_ ghs_ ghr_ github_pat_; glpat- gldt- glrt- glcbt- glptt- … |
| AWS, Alibaba, Google | AKIA ASIA ABIA ACCA ABSK, LTAI, AIza ya29. GOCSPX- |
| NVIDIA, Docker, Hugging Face, Weights & Biases | nvapi-, dckr_pat_ dckr_oat_, hf_ api_org_, wandb_v1_ |
| OpenAI and its like, Groq, xAI, Perplexity, Neptune | sk- (with a digit), gsk_, xai-, pplx-, eyJhcGlf |
| Slack, Telegram, Facebook | xox?- xapp-, NNNNNNNN:AA…, EAAM EAAC |
| Stripe, Square, SendGrid, Mailchimp, Twilio | sk_live_ rk_test_ …, sq0atp- sq0csp-, SG., …-us12, SK AC and 32 hex |
| DigitalOcean, Databricks, Heroku, Hashicorp | dop_v1_ doo_v1_ dor_v1_, dapi, HRKU-AA, hvs. hvb. atlasv1. |
| npm, PyPI, RubyGems, Postman, Grafana, Sentry … | npm_, pypi-, rubygems_, PMAK-, glc_ glsa_, sntrys_ sntryu_ … |
| JSON web token | eyJ….… |

A bare run of 32, 40 or 64 hexadecimal digits has no shape of its own: it is more often a commit or a checksum.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

_HEX = rb"[0-9a-f]"
_PLAIN = (
    rb"gh[oprsu]_[A-Za-z0-9]{20}",
    rb"github_pat_\w{20}",
    rb"gl(?:pat|dt|rt|ft|soat|ptt|cbt|imt|agent|oas|ffct)-[\w-]{16}",
    rb"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
    rb"LTAI[A-Za-z0-9]{16}",
    rb"AIza[\w-]{30}",
    rb"GOCSPX-[\w-]{20}",
    rb"nvapi-[\w-]{20}",
    rb"dckr_[po]at_[\w-]{16}",
    rb"hf_[A-Za-z0-9]{30}",
    rb"api_org_[A-Za-z0-9]{30}",
    rb"npm_[A-Za-z0-9]{30}",
    rb"wandb_v1_[\w-]{20}",
    rb"(?:sk|pypi)-(?=[\w-]{0,30}[0-9])(?=[\w-]{0,30}[A-Z])[\w-]{20}",
    rb"sk-(?:[a-z0-9]{1,8}-){0,3}(?=[A-Za-z0-9]{0,30}[0-9])[A-Za-z0-9]{20}",
    rb"(?:gsk_|xai-|pplx-)[A-Za-z0-9]{30}",
    rb"xox[a-z]-[A-Za-z0-9-]{10}",
    rb"xapp-[A-Za-z0-9-]{10}",
    rb"EAA[MCA][A-Za-z0-9]{60}",
    rb"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10}",
    rb"sq0(?:atp|csp|idp)-[\w-]{20}",
    rb"(?:EAAA|EZ[AT]K|AKCp|cmVmd)[\w-]{50}",
    rb"(?:SK|AC)" + _HEX + rb"{32}",
    rb"(?:dop|doo|dor)_v1_" + _HEX + rb"{32}",
    rb"(?:dapi|p8e-|ico-|key-|pul-)(?=\w{0,30}[0-9])[A-Za-z0-9]{32}",
    rb"(?:HRKU-AA|fio-u-|tk-us-|tfp_|ntn_|fo1_|rdme_)[\w-]{30}",
    rb"(?:rubygems_|sntryu_|PMAK-|shippo_(?:live|test)_|shp(?:at|ca|pa|ss)_|sgp_)[0-9A-Fa-f_]{20}",
    rb"(?:lin_api_|lin_oauth_|pnu_|CLOJARS_|glsa_|duffel_(?:live|test)_|whsec_|figd_)[\w-]{20}",
    rb"sm_[aps]at_[A-Za-z0-9]{16}",
    rb"(?:NRAK|NRII|NRJS)-[A-Za-z0-9-]{19}",
    rb"FLW(?:SECK|PUBK)_TEST-[A-Za-z0-9]{12}",
    rb"s-s4t2(?:ud|af)-" + _HEX + rb"{32}",
    rb"AGE-SECRET-KEY-1[A-Z0-9]{30}",
    rb"A3-[A-Z0-9]{6}-[A-Z0-9-]{20}",
    rb"API-[A-Z0-9]{26}",
    rb"xkeysib-" + _HEX + rb"{32}",
    rb"(?<=bedrock-)api-key-\w{20}",
    rb"AT[AC]TT3[\w=-]{40}",
    rb"AQVN[\w-]{35}",
)
# Those that hold more than letters, digits, _ and -.
_WIDE = (
    rb"eyJ[\w-]{8,1024}+\.[\w-]{8}",
    rb"eyJhcGlf[\w+/-]{24}",
    rb"xoxe\.xox[bp]-[A-Za-z0-9-]{10}",
    rb"ya29\.[\w-]{20}",
    rb"(?<=1//)0[\w-]{20}",
    rb"SG\.[\w-]{16,64}\.[\w-]{16}",
    rb"ops_eyJ[A-Za-z0-9+/]{40}",
    rb"sntrys_eyJ[A-Za-z0-9+/]{20}",
    rb"(?:glc_|fm[12][ar]?_|ABSK)[A-Za-z0-9+/]{32}",
    rb"pscale_(?:tkn|oauth|pw)_[\w=.-]{20}",
    rb"(?<=dp\.)pt\.[A-Za-z0-9]{20}",
    rb"dt0c01\.[A-Za-z0-9]{20}",
    rb"hv[sb]\.[\w-]{60}",
    rb"s\.(?=[A-Za-z]{0,23}[0-9])(?=[a-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}(?![\w.])",
    rb"sl\.(?=[A-Za-z_-]{0,40}[0-9])[\w-]{60}",
    rb"(?:pat|sat)\.[\w-]{22}\.[A-Za-z0-9]{20}",
    rb"pat[A-Za-z0-9]{14}\." + _HEX + rb"{32}",
    rb"pk\.(?=[a-z]{0,40}[0-9])[A-Za-z0-9]{40}",
    rb"t1\.[\w-]{4,40}={0,2}\.[\w-]{40}",
    rb"atlasv1\.[\w=-]{40}",
    rb"(?<=v1\.)0-" + _HEX + rb"{24}-" + _HEX + rb"{32}",
    rb"sha256~[\w-]{40}",
    rb"AA[\w-]{33}(?![\w-])(?<=[0-9]{8}:.{35})",
)
# Those that are known by what stands within or at their end.
_ENDED = (
    _HEX + rb"{32}-us[0-9]{1,2}(?![\w-])",
    rb"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![\w-])",
    rb"[\w-]{0,30}\dQ~[\w~.-]{31}",
)
SHAPE = re.compile(rb"|".join([rb"(?P<wide>" + rb"|".join(_WIDE) + rb")", *_PLAIN]))
ENDED = re.compile(rb"|".join(_ENDED))
REST = re.compile(rb"[\w-]*+")
WIDE_REST = re.compile(rb"[\w.~+/=-]*+")
GOING_ON = re.compile(rb"eyJ[\w-]{0,1024}(?:\.[\w-]{0,8})?|[\w.~+/=-]{0,100}")

LONGEST_BEGIN = 18
LONGEST = 1200  # bytes that tell whether it is one

# How they begin, in small letters, up to the last `_`, `-` or `.` there.
_BEGINS = (
    b"gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ dckr_pat_ dckr_oat_ hf_ api_org_ npm_ wandb_v1_ gsk_ sk_live_ sk_test_ "
    b"sk_prod_ rk_live_ rk_test_ rk_prod_ dop_v1_ doo_v1_ dor_v1_ tfp_ ntn_ fo1_ rdme_ rubygems_ sntryu_ shippo_live_ "
    b"shippo_test_ shpat_ shpca_ shppa_ shpss_ sgp_ lin_api_ lin_oauth_ pnu_ clojars_ glsa_ duffel_live_ duffel_test_ "
    b"whsec_ figd_ sm_aat_ sm_pat_ sm_sat_ glc_ fm1_ fm1a_ fm1r_ fm2_ pscale_tkn_ pscale_oauth_ pscale_pw_ "
    b"glpat- gldt- glrt- glft- glsoat- glptt- glcbt- glimt- glagent- gloas- glffct- gocspx- nvapi- sk- pypi- xai- "
    b"pplx- xapp- p8e- ico- pul- fio-u- tk-us- pmak- nrak- nrii- nrjs- flwseck_test- flwpubk_test- xkeysib- s-s4t2ud- "
    b"s-s4t2af- ya29. sg. dp.pt. dt0c01. hvs. hvb. s. sl. sat. pat. pk. t1. atlasv1."
).split()
_DIGITS = re.compile(rb"[0-9]")


def _ends(begins: Iterable[bytes]) -> tuple[bytes, ...]:
    """Return a pattern for each letter that any of them ends with; one that begins with that letter is found fast."""
    groups: dict[bytes, list[bytes]] = {}
    for begin in sorted(set(begins), key=lambda begin: begin[::-1]):
        groups.setdefault(begin[-1:], []).append(begin)
    return tuple(re.escape(last) + _any_of(group, 2) for last, group in groups.items())


def _any_of(begins: Iterable[bytes], known: int) -> bytes:
    groups = groupby(begins, key=lambda begin: begin[-known:])
    alternatives = []
    for end, group in groups:
        inner = rb"|".join(rb"(?<=%s)(?<![a-z0-9]%s)" % ((re.escape(begin),) * 2) for begin in group)
        alternatives.append(rb"(?<=%s)(?:%s)" % (re.escape(end), inner))
    return rb"(?:" + rb"|".join(alternatives) + rb")"


# Each a pattern for a line in small letters without its digits, and one for the place in a text in small letters.
HINTS: tuple[tuple[bytes, bytes], ...] = (
    *zip(_ends(_DIGITS.sub(b"", begin) for begin in _BEGINS), _ends(_BEGINS), strict=True),
    (rb"ia(?<=a[ksb]ia)", rb"ia(?<=a[ksb]ia)(?=[a-z0-9]{16})"),
    (rb"acca", rb"acca(?=[a-z0-9]{16})"),
    (rb"ltai", rb"ltai(?=[a-z0-9]{16})"),
    (rb"aiza", rb"aiza"),
    (rb"xox", rb"xox"),
    (rb"eaa[mca]", rb"eaa[mca](?=[\w-]{50})"),
    (rb"q(?:vn|atp-|csp-|idp-)", rb"q(?:vn|0atp-|0csp-|0idp-)"),
    (rb"k(?:(?<=ez[at]k)|(?<=ak)cp|(?<=absk))", rb"k(?:(?<=ez[at]k)|(?<=ak)cp|(?<=absk))"),
    (rb"cmvmd", rb"cmvmd"),
    (rb"dapi", rb"dapi(?=[0-9a-f]{32})"),
    (rb"hrku-aa", rb"hrku-aa"),
    (rb"tt(?<=at[ac]tt)", rb"tt3(?<=at[ac]tt3)"),
    (rb"eyj", rb"eyj"),
    (rb"_ey", rb"_(?=ey)(?:(?<=ops_)|(?<=sntrys_))"),
    (rb"sha~", rb"sha256~"),
    (rb"v\.-", rb"0-(?<=v1\.0-)"),
    (rb"sk[a-f]{4}(?<![a-z]sk.{4})", rb"sk(?<![a-z0-9]sk)(?=[0-9a-f]{32})"),
    (rb"ac[a-f]{4}(?<![a-z]ac.{4})", rb"ac(?<![a-z0-9]ac)(?=[0-9a-f]{32})"),
    (rb"pat(?<![a-z]pat)[a-z]{0,14}\.", rb"pat(?<![a-z0-9]pat)(?=[a-z0-9]{14}\.)"),
    (rb"//(?<![a-z:/]//)[a-z_-]{4}", rb"0(?<=1//0)"),
    (rb"a-[a-z]{4}(?<![a-z]a-.{4})", rb"a3-(?=[a-z0-9]{6}-)"),
    (rb"age-secret-key-", rb"age-(?=secret-key-1)"),
    (rb"key-", rb"key-(?=[0-9a-f]{32})"),
    (rb"api-", rb"api-(?=[a-z0-9]{26}|key-[a-z0-9]{20})"),
    (rb":aa", rb"(?<=[0-9]{4}:)aa(?=[\w-]{33})"),
)
ENDED_HINTS: tuple[tuple[bytes, bytes], ...] = (
    (rb"-us(?![a-z])", rb"-us(?=[0-9])"),
    (rb"_mmk", rb"_mmk"),
    (rb"q~", rb"q~"),
)
