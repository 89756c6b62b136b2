# SPDX-License-Identifier: Apache-2.0
"""From a receipt's facts to the state of the slot it fills; a runner's own word is never read."""
