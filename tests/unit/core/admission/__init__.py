# SPDX-License-Identifier: Apache-2.0
"""What may enter, and what stands there then?"""
