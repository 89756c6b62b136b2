# SPDX-License-Identifier: Apache-2.0
"""Reports that other tools wrote, as captures: what they prove, and nothing that they do not."""
