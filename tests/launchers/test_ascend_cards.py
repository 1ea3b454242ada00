"""What Ascend's chips and their processes do, as `npu-smi info` prints it in its versions."""

from __future__ import annotations

import pytest

from launchers.machine.card_sample import CardProcess
from launchers.machine.makers import ascend
from parsers.runs.run_folder import CardSample

# In the forms that public issues and documents show: npu-smi of 25.2 on 910B (A2), of 25.5 on two chips a card (A3,
# vllm-project/vllm-ascend issues 2082 and 2534), of 26.0 with wider cells (issue 12980), of 23.0.rc1 on 910 with memory
# beside its HBM (MindFormers), of 24.1 on 910A, and of 23.0 and 25.3 on 310 and 310P. The numbers are invented.
TRAINING = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.2.0                   Version: 25.2.0                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 301.8       53                0    / 0             |
| 0                         | 0000:C1:00.0  | 87          0    / 0          53318/ 65536         |
+===========================+===============+====================================================+
| 1     910B3               | Warning       | -           NA                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3314 / 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 1712733       | python                   | 50048                   |
| 0       0                 | 1712801       |                          | 134                     |
+===========================+===============+====================================================+
| No running processes found in NPU 1                                                            |
+===========================+===============+====================================================+
"""
TWO_CHIPS = """\
| npu-smi 25.5.0                   Version: 25.5.0                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     Ascend910           | OK            | 271.4       41                0    / 0             |
| 0     0                   | 0000:1D:00.0  | 64          0    / 0          40416/ 65536         |
+------------------------------------------------------------------------------------------------+
| 0     Ascend910           | OK            | -           43                0    / 0             |
| 1     1                   | 0000:1F:00.0  | 66          0    / 0          40195/ 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 4711          | python3.11               | 37000                   |
+------------------------------------------------------------------------------------------------+
| 0       1                 | 4712          | python3.11               | 37001                   |
+===========================+===============+====================================================+
"""
WIDE = """\
| npu-smi 26.0.rc2                            Version: 26.0.rc2                                                    |
+---------------------------+---------------+----------------------------------------------------------------------+
| NPU   Name                | Health        | Power(W)             Temp(C)                 Hugepages-Usage(page)   |
| Chip  Phy-ID              | Bus-Id        | AICore(%)            Memory-Usage(MB)        HBM-Usage(MB)           |
+===========================+===============+======================================================================+
| 6     Ascend910           | OK            | 181.2                37                      0    / 0                |
| 0     12                  | 0000:2D:00.0  | 5                    0    / 0                3519 / 65536            |
"""
TWO_MEMORIES = """\
| npu-smi 23.0.rc1                 Version: 23.0.rc1                                        |
+----------------------+---------------+----------------------------------------------------+
| NPU   Name           | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                 | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+======================+===============+====================================================+
| 3     910ProB        | OK            | 98.4        39                0    / 0             |
| 0                    | 0000:81:00.0  | 31          1298 / 15137      20711/ 32768         |
+======================+===============+====================================================+

+----------------------+---------------+----------------------------------------------------+
| NPU     Chip         | Process id    | Process name             | Process memory(MB)      |
+======================+===============+====================================================+
| 3       0            | 65115         | python                   | 20784                   |
+======================+===============+====================================================+
"""
LITTLE_USED = """\
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
| 1     910B                | OK            | 76.9        36                0    / 0             |
| 0                         | 0000:81:00.0  | 0           2511 / 15665      4    / 32768         |
"""
# Without HBM: 310B with a device number, 310 with huge pages, and 310P, which tells no power.
INFERENCE = """\
| NPU     Name                  | Health          | Power(W)     Temp(C)           Hugepages-Usage(page) |
| Chip    Device                | Bus-Id          | AICore(%)    Memory-Usage(MB)                        |
+===============================+=================+======================================================+
| 3       310B1                 | Alarm           | 0.0          49                15    / 15            |
| 0       3                     | 0000:11:00.0    | 12           600  / 7578                             |
| 4       310                   | OK              | 14.8         63                0     / 969           |
| 0       4                     | 0000:01:00.0    | 0            587  / 7759                             |
| 6       310P3                 | OK              | NA           52                0     / 0             |
| 0       5                     | 0000:84:00.0    | 9            1939 / 21525                            |
"""


def samples(text: str) -> list[CardSample]:
    """What `npu-smi info` tells of each chip."""
    return [answer.sample for answer in ascend.answers(text)]


def test_chips_of_ascend_are_read_from_both_of_their_rows_with_their_processes() -> None:
    assert samples(TRAINING) == [
        CardSample(utilisation=87, memory=53318, power=301.8, temperature=53),
        CardSample(utilisation=0, memory=3314, power=None, temperature=None),
    ]
    processes = [answer.processes for answer in ascend.answers(TRAINING)]
    assert processes == [(CardProcess(1712733, 50048), CardProcess(1712801, 134)), ()]


def test_chips_of_ascend_without_hbm_tell_their_other_memory_and_no_processes() -> None:
    assert samples(INFERENCE) == [
        CardSample(utilisation=12, memory=600, power=0, temperature=49),
        CardSample(utilisation=0, memory=587, power=14.8, temperature=63),
        CardSample(utilisation=9, memory=1939, power=None, temperature=52),
    ]
    assert [answer.processes for answer in ascend.answers(INFERENCE)] == [None] * 3


def test_each_of_two_chips_of_a_card_of_ascend_is_a_card_and_power_is_that_of_both() -> None:
    assert samples(TWO_CHIPS) == [
        CardSample(utilisation=64, memory=40416, power=271.4, temperature=41),
        CardSample(utilisation=66, memory=40195, power=None, temperature=43),
    ]
    processes = [answer.processes for answer in ascend.answers(TWO_CHIPS)]
    assert processes == [(CardProcess(4711, 37000),), (CardProcess(4712, 37001),)]


@pytest.mark.parametrize(
    ("text", "sample"),
    [
        (WIDE, CardSample(utilisation=5, memory=3519, power=181.2, temperature=37)),
        (TWO_MEMORIES, CardSample(utilisation=31, memory=20711, power=98.4, temperature=39)),
        (LITTLE_USED, CardSample(utilisation=0, memory=4, power=76.9, temperature=36)),
    ],
)
def test_a_chip_of_ascend_tells_its_hbm_in_all_versions(text: str, sample: CardSample) -> None:
    assert samples(text) == [sample]


def test_a_process_of_ascend_belongs_to_the_chip_with_its_numbers() -> None:
    assert [answer.processes for answer in ascend.answers(TWO_MEMORIES)] == [(CardProcess(65115, 20784),)]


@pytest.mark.parametrize("text", ["", "no device\n", "| 0 | x |\n| 0 | y |\n"])
def test_what_is_no_table_of_ascend_has_no_chips(text: str) -> None:
    assert (samples(text), ascend.names(text)) == ([], [])
