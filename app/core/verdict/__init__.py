# SPDX-License-Identifier: Apache-2.0
"""From judgements to one word per claim on one exact head, and the words a person reads."""
