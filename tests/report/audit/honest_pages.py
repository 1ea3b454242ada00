"""Right documents, of which no number is to be contradicted: HONEST, by what is odd in them."""

HONEST = {
    "units of one column that are not the same": """# Results

|Op|Baseline|Ours|Speedup|
|--|--|--|--|
|matmul|1.20 s|300 ms|4.00x|
|conv|2.40 ms|1.20 ms|2.00x|
|norm|3.30 ms|1.10 ms|3.00x|
|attn|9.90 ms|3.30 ms|3.00x|
|io|1.00 min|20.00 s|3.00x|
""",
    "sizes in two units": """# Results

|Model|Before|After|Reduction (%)|
|--|--|--|--|
|a|1.20 GB|300 MB|75.0%|
|b|2.40 GB|1.20 GB|50.0%|
|c|3.30 GB|1.10 GB|66.7%|
|d|9.90 GB|3.30 GB|66.7%|
""",
    "a row of another quantity": """# Results

|Metric|A (ms)|B (ms)|Speedup|
|--|--|--|--|
|p50|10.12|5.01|2.02x|
|p90|20.33|9.87|2.06x|
|p99|30.5|14.1|2.16x|
|QPS|120.1|241.3|2.01x|
""",
    "means of speed-ups": """# Results

|Stage|Before (s)|After (s)|Speedup|
|--|--|--|--|
|load|12.51|3.21|3.90x|
|train|100.42|50.17|2.00x|
|eval|33.3|11.9|2.80x|
|Mean|48.74|21.76|2.90x|
""",
    "a base that is not shown": """# Results

|Config|samples/s|Speed-up|
|--|--|--|
|A 1 GPU|100.4|1.00x|
|A 2 GPUs|190.3|1.90x|
|A 4 GPUs|371.2|3.70x|
|A 8 GPUs|701.5|6.99x|
|B 2 GPUs|55.3|1.86x|
|B 4 GPUs|107.2|3.61x|
""",
    "another base by name": """# Results

|Config|tok/s|Speedup|
|--|--|--|
|eager|1000.5|1.00x|
|compile|1523.1|1.52x|
|compile+fa|1843.7|1.84x|
|fp8|2612.9|2.61x|
|fp8 + async (vs. fp8)|2812.9|1.08x|
""",
    "ranges and bounds": """# Results

|Case|A (ms)|B (ms)|Speedup|
|--|--|--|--|
|a|10.12|5.01|2.02x|
|b|20.33|9.87|2.06x|
|c|30.5|14.1|2.16x|
|d|11.0|5.0|> 2x|
|e|30.0|10.1|up to 4x|
|f|30.0|10.1|2.5-3x|
|g|30.0|10.1|3x*|
|h|30.0|10.1|≈3.1x|
""",
    "slower": """# Results

|Case|A (ms)|B (ms)|Speedup|
|--|--|--|--|
|a|10.12|5.01|2.02x|
|b|20.33|9.87|2.06x|
|c|30.5|14.1|2.16x|
|d|5.0|10.0|2.00x slower|
""",
    "a list that is changed before its test": """# R

```python
losses = [3.2781, 3.2775, 3.279, 3.2768, 3.2777, 3.2785]
losses = losses[1:]
print(ttest_1samp(losses, 3.28, alternative="less").pvalue)
# p=0.0028
```
""",
    "a base that moves": """# Results

|PR|Time (s)|vs previous|
|--|--|--|
|#1|100.2|-|
|#2|90.1|1.11x|
|#3|85.0|1.06x|
|#4 reverted|90.1|0.94x|
|#5 (vs #3)|80.0|1.06x|
|#6|75.0|1.07x|
""",
    "two bases": """# Results

|Backend|Latency (ms)|Speedup|
|--|--|--|
|GPU eager|10.1|baseline|
|GPU jit|5.05|2.00x|
|GPU trt|2.52|4.01x|
|GPU graph|3.37|3.00x|
|CPU eager|88.0|baseline|
|CPU onnx|44.0|2.00x|
""",
    "a sign for slower": """# Results

|Case|A (ms)|B (ms)|Speedup|
|--|--|--|--|
|a|10.10|5.05|2.00x|
|b|20.2|10.1|2.00x|
|c|30.3|20.2|1.50x|
|d|10.0|20.0|-2.00x|
""",
    "a remark in brackets": """# Results

|Case|A (ms)|B (ms)|Speedup|
|--|--|--|--|
|a|10.10|5.05|2.00x|
|b|20.2|10.1|2.00x|
|c|30.3|20.2|1.50x|
|d (bs=4; A ran at bs=2)|10.0|10.0|2.00x|
""",
}
