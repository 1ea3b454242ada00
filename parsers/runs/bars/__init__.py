"""Progress bars of a reading: which of those that each epoch has are of training."""
