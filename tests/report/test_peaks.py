"""Peaks of cards: the MFU by the data sheets of vendors, and which cards are refused."""

import pytest

from report.measure.diagnostics import NoMeasurement
from report.measure.operations import CardPeaks, card_of, cards

# The share of the peak that 100 TFLOP/s are: worked by hand from the peak that the data sheet prints without sparsity,
# or from half of that which it prints with it (*).
BY_HAND = [
    # V100 data sheet: SXM2 15.7 single precision and 125 deep learning, PCIe 14 and 112.
    ("Tesla V100-SXM2-16GB", "fp16", 80.0),
    ("Tesla V100-SXM2-32GB", "amp", 80.0),
    ("Tesla V100-SXM2-32GB", "fp32", 636.942675159236),
    ("Tesla V100-PCIE-32GB", "fp16", 89.2857142857143),
    # A100 data sheet: FP32 19.5, TF32 156 (312*), BF16 and FP16 312 (624*).
    ("NVIDIA A100-SXM4-80GB", "bf16", 32.0512820512821),
    ("NVIDIA A100-PCIE-40GB", "tf32", 64.1025641025641),
    ("A100", "fp32", 512.820512820513),
    # H100 data sheet: SXM 67, 989* TF32, 1,979* BF16, 3,958* FP8; PCIe 756* TF32, 1,513* BF16, 3,026* FP8;
    # NVL 1,671* and 3,341*.
    ("NVIDIA H100 80GB HBM3", "bf16", 10.1061141990904),
    ("H100-SXM5-80GB", "tf32", 20.2224469160768),
    ("H100 SXM", "fp8", 5.05305709954522),
    ("NVIDIA H100 PCIe", "bf16", 13.2187706543291),
    ("NVIDIA H100 PCIe", "fp8", 6.60938532716457),
    ("NVIDIA H100 PCIe", "tf32", 26.4550264550265),
    ("NVIDIA H100 NVL", "bf16", 11.9688809096349),
    ("NVIDIA H100 NVL", "fp8", 5.98623166716552),
    # H200 data sheet: SXM 1,979* BF16, 3,958* FP8.
    ("NVIDIA H200", "bf16", 10.1061141990904),
    ("H200 SXM", "fp8", 5.05305709954522),
    ("H200 SXM", "fp32", 149.253731343284),
    # Blackwell data sheet, HGX B200: TF32 2.2*, BF16 4.5*, FP8 9* PFLOPS.
    ("NVIDIA B200", "bf16", 4.44444444444444),
    ("NVIDIA B200", "fp8", 2.22222222222222),
    ("NVIDIA B200", "tf32", 9.09090909090909),
    # L40S data sheet: TF32 183 (366*), BF16 362.05 (733*), FP8 733 (1,466*).
    ("NVIDIA L40S", "bf16", 27.6204944068499),
    ("NVIDIA L40S", "tf32", 54.6448087431694),
    ("NVIDIA L40S", "fp8", 13.6425648021828),
    # A10 data sheet: FP32 31.2, TF32 62.5 (125*), BF16 125 (250*).
    ("NVIDIA A10", "bf16", 80.0),
    ("NVIDIA A10", "tf32", 160.0),
    ("NVIDIA A10", "fp32", 320.512820512821),
    # T4 data sheet: single precision 8.1, mixed precision 65.
    ("Tesla T4", "fp16", 153.846153846154),
    ("Tesla T4", "fp32", 1234.56790123457),
    # MI300X data sheet: TF32 653.7, BF16 1,307.4, FP8 2,614.9 without sparsity.
    ("AMD Instinct MI300X", "bf16", 7.64876854826373),
    ("AMD Instinct MI300X OAM", "fp8", 3.82423802057440),
    ("MI300X", "tf32", 15.2975370965275),
]


@pytest.mark.parametrize(("device", "precision", "percent"), BY_HAND)
def test_the_share_of_a_peak_is_that_of_the_data_sheet(device: str, precision: str, percent: float) -> None:
    _, peak = card_of([device], precision)
    assert 100 / peak * 100 == pytest.approx(percent, rel=1e-13)


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.name)
def test_a_peak_with_sparsity_is_twice_that_without(card: CardPeaks) -> None:
    for precision, sparse in card.sparse.items():
        assert sparse == pytest.approx(2 * card.dense[precision], rel=0.015)


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.name)
def test_a_card_is_known_by_its_name(card: CardPeaks) -> None:
    found, _ = card_of([card.name], "fp32")
    assert found is card


@pytest.mark.parametrize(
    ("device", "precision"),
    [
        ("H100", "bf16"),
        ("NVIDIA H100 80GB", "fp8"),
        ("H200", "bf16"),
        ("Tesla V100 32GB", "fp16"),
        ("AMD Instinct MI250X", "bf16"),
        ("A100", "fp8"),
    ],
)
def test_a_name_that_fits_several_peaks_or_none_is_refused(device: str, precision: str) -> None:
    with pytest.raises(NoMeasurement):
        card_of([device], precision)


@pytest.mark.parametrize(
    "device", ["Toy 9000", "H1000", "A100 H100", "8 x A100", "RTX A10", "", "NVIDIA", "Ascend 910B"]
)
def test_a_card_without_a_data_sheet_is_refused(device: str) -> None:
    with pytest.raises(NoMeasurement):
        card_of([device], "bf16")


def test_two_names_of_one_card_tell_more_than_each_of_them() -> None:
    assert card_of(["H100", "NVIDIA H100 80GB HBM3"], "bf16") == card_of(["H100 SXM"], "bf16")
