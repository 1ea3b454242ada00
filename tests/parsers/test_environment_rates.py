"""Rates without a unit beside a counter of environment steps: of timesteps, or of frames where agents act."""

from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.drafting import refused
from tests.parsers.timed_logs import headline, number, read

REWARDS = "  average reward: -195.0458\n"


def log(line: str, *, each: int = 300, rate: float = 40.0) -> str:
    """Lines of a program: ``{done}`` counts ``each`` more, ``{rate}`` is about the rate, ``{s}`` the time of day."""
    return "".join(
        line.format(n=n, done=each * n, rate=f"{rate + n % 3:.0f}", loss=2 / n, s=f"04:{n // 6:02d}:{n % 6}0") + "\n"
        for n in range(1, 31)
    )


BESIDE = {
    "timesteps of all": " Algo mappo updates {n}/1000 episodes, total num timesteps {done}/300000, FPS {rate}.\n\n"
    + REWARDS,
    "timesteps": "Updates {n}, num timesteps {done}, FPS {rate} \n Last 10 training episodes: mean reward 9.5\n",
    "frames beside a reward": "  iter {n} | frames {done:10d} | fps {rate} | actor_loss {loss:.4f} | rew/step 2.09",
    "steps of an environment": "update={n} env_steps={done} policy_loss={loss:.4f} SPS={rate}",
    "JSON": '{{"iteration": {n}, "timesteps": {done}, "policy_loss": {loss:.4f}, "fps": {rate}}}',
    "frames on the next line": "update: {n}\tfps: {rate}.25\t\nNum updates: {n}\tNum frames {done}\nreward: 0.25\n",
    "what the stamps show": "2031-02-03 {s} iter {n} timesteps {done} loss {loss:.4f} fps {rate}",
}
SHOWN = {name: 30.0 if "stamps" in name else 40.0 for name in BESIDE}


@pytest.mark.parametrize("name", BESIDE)
def test_a_rate_beside_a_counter_of_environment_steps_counts_them(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, log(BESIDE[name], rate=SHOWN[name]))
    assert number(found) == (approx(SHOWN[name] + 1, rel=0.01), "environment steps/s")


UNKNOWN = {
    "frames of videos": "iter {n} | frames {done:10d} | fps {rate} | loss {loss:.4f}",
    "frames that each line has": "iter {n} | frames 16 | fps {rate} | policy_loss {loss:.4f}",
    "two counters of them": "iter {n} env_steps {done} timesteps {done} fps {rate} policy_loss {loss:.4f}",
    "another rate than the stamps show": "2031-02-03 {s} iter {n} timesteps {done} loss {loss:.4f} fps {rate}99",
    "episodes": "iter {n} episodes {done} fps {rate} policy_loss {loss:.4f}",
}


@pytest.mark.parametrize("line", UNKNOWN.values(), ids=UNKNOWN)
def test_what_other_rates_count_stays_unknown(tmp_path: Path, line: str) -> None:
    found = headline(read(tmp_path, log(line)))
    assert found is None or found.unit == "unknown/s"


def test_the_rate_of_an_evaluation_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, log("Eval: step {n}, timesteps {done}, reward 2.5, fps {rate}"))


BEHIND = {
    "counted by an evaluation": "update: {n} fps: {rate}.5\nEval num frames: {done}, reward 2.5\n",
    "counted far behind": "update: {n} fps: {rate}.5\nreward: 0.25\nsaved\nsaved\nNum frames: {done}\n",
    "counted for some": "update: {n} fps: {rate}.5\nreward: 0.25\n",
}


@pytest.mark.parametrize("line", BEHIND.values(), ids=BEHIND)
def test_what_a_rate_counts_is_unknown_where_the_lines_behind_it_do_not_say(tmp_path: Path, line: str) -> None:
    text = log(line) + "update: 99 fps: 40.5\nNum frames: 9000\n"
    refused(tmp_path, text)


def test_a_rate_that_says_what_it_counts_is_left_alone(tmp_path: Path) -> None:
    found = headline(read(tmp_path, log("iter {n} timesteps {done} policy_loss {loss:.4f} speed {rate} samples/s")))
    assert found is not None
    assert found.unit == "samples/s"
