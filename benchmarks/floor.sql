-- SPDX-License-Identifier: Apache-2.0
\set id random(1, 256)
INSERT INTO floor (data) SELECT data FROM sample WHERE id = :id;
