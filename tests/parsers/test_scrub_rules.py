"""Identities: how the names of hosts and people show, and what only looks like one."""

import pytest

from parsers.scrubbing.identities import Rule, identities, is_host, is_name, rules
from parsers.scrubbing.placeholders import Placeholders

every_rule = pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.line.decode()[:40])


def found(line: bytes) -> list[bytes]:
    return [identity.text for identity in identities(line) if identity.kind != "version"]


@every_rule
def test_a_rule_finds_in_its_example_what_it_says(rule: Rule) -> None:
    assert set(found(rule.line)) == set(rule.finds)


@pytest.mark.parametrize("name", [b"gpu001", b"gpu-01", b"node117", b"dgx01", b"zeus01"])
@pytest.mark.parametrize(
    "line",
    [b"%s:1234:1300 [0] NCCL INFO Channel 00/32", b"SLURM_JOB_NODELIST=%s", b"[%s:4242:0:4242] Caught signal 11"],
)
def test_a_name_as_clusters_give_them_is_a_host_where_only_a_host_can_stand(line: bytes, name: bytes) -> None:
    assert found(line % name) == [name]


def test_a_list_of_machines_with_a_common_name_is_one_of_hosts() -> None:
    assert found(b"SLURM_JOB_NODELIST=gpu[001-004]") == [b"gpu[001-004]"]


@pytest.mark.parametrize(
    "line", [b"gpu0:1234:1300 [0] NCCL INFO Channel 00/32", b"device: gpu001, node117 loss 0.1", b"NODELIST=gpu[0-3]"]
)
def test_a_card_or_a_common_word_with_a_number_is_no_host_elsewhere(line: bytes) -> None:
    assert found(line) == []


@pytest.mark.parametrize(
    "line",
    [
        b"nvidia-curand-cu12        10.3.2.106",
        b"cuBLAS version: 10.2.2.89",
        b"tensorrt==10.0.1.6",
        b"CUDA 10.1.243, cuDNN 7.6.5, GCC 10.2.1",
        b"libcublas10_10.2.2.89-1_amd64.deb",
        b"nvidia_curand_cu12-10.3.2.106-py3-none-any.whl",
        b"step 10 loss 10.5 time 10.25",
        b"10.1.2.3.4 and 10.1.2.300",
        b"8.8.8.8 172.15.0.1 172.32.0.1 192.169.0.1 100.63.0.1 127.0.0.1 0.0.0.0",
    ],
)
def test_a_version_a_number_or_a_public_address_is_no_private_address(line: bytes) -> None:
    assert found(line) == []


@pytest.mark.parametrize(
    "line",
    [
        b"Acc@1 76.1 Acc@5 92.9 logging.git@6.0.0-rc5",
        b"git clone git@github.com:owner/name.git",
        b"see https://github.com/owner/name and https://example.com/home/page",
        b"root@localhost:/root# ls",
        b"/home/ubuntu/a /home/work/b /home/disk1/c /root/d",
        b"host: None, master: localhost, hostname=worker-0, user=root",
        b"[engine.py:123:45] [12:30:45] [launch.py:508:12]",
        b"error on host: connection refused by peer",
        b"rank0: [2031-05-17 09:30:00] started",
        b"checkpoint: open-mmlab://resnet50_v1c s3://bucket/key env://",
        b"std::allocator<int> fc::name fd:12:34:56:78:9a",
        b"user 0m5.3s sys 0m1.0s user: 0.5s",
    ],
)
def test_what_names_nobody_is_left(line: bytes) -> None:
    assert found(line) == []


def test_colours_around_a_name_are_no_part_of_it() -> None:
    assert found(b"host: \x1b[32mzeus\x1b[0m") == [b"zeus"]


def test_a_coloured_prompt_is_a_prompt() -> None:
    prompt = b"\x1b[01;32mjdoe@zeus\x1b[00m:\x1b[01;34m~/exp\x1b[00m$ python train.py"
    assert set(found(prompt)) == {b"jdoe", b"zeus"}


@pytest.mark.parametrize(
    "name", [b"root", b"user1", b"host12", b"node-3", b"x", b"12", b"Ubuntu", b"host1.example.com"]
)
def test_a_common_word_or_a_placeholder_is_no_name(name: bytes) -> None:
    assert not is_name(name)


@pytest.mark.parametrize("name", [b"jdoe", b"wen_xie", b"c1n01", b"M\xc3\xbcller", b"zeus.example.edu"])
def test_any_other_word_may_be_a_name(name: bytes) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", [b"github.com", b"api.github.com", b"launch.py", b"comm.cc"])
def test_a_public_host_or_a_source_file_is_no_host_of_a_job(name: bytes) -> None:
    assert not is_host(name)


def test_a_word_that_formats_print_is_no_name_wherever_it_stands() -> None:
    assert found(b"user=loss") == []


def test_the_home_of_one_who_is_called_like_a_word_of_formats_is_found() -> None:
    assert found(b"/home/loss/data") == [b"/home/loss"]


@pytest.mark.parametrize("nodes", [b"a1[0-999999999]", b"a1" + b"[0-9]" * 1000, b"a1[" + b"9" * 3000 + b"]"])
def test_a_list_of_more_nodes_than_there_are_costs_nothing(nodes: bytes) -> None:
    placeholders = Placeholders(identities(b"SLURM_JOB_NODELIST=" + nodes))
    assert placeholders.replaced(b"a10 is up") in {b"host1 is up", b"a10 is up"}
