"""Where labels come from: one small class a source, all with the Protocol of `base.Source`, mixed by `mixture`."""
