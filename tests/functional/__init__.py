# SPDX-License-Identifier: Apache-2.0
"""From outside, with real processes and no mocks."""
