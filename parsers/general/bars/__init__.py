"""Progress bars: their drawings, passes and clocks, and what shows which is that of training."""
