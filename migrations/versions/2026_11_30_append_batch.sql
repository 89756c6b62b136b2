-- SPDX-License-Identifier: Apache-2.0
-- The one way into the ledger's tables on PostgreSQL. The caller may execute this and read, no more.
--
-- The checkpoint goes in first: its two unique keys make every concurrent batch wait here, and the
-- one that comes second finds its place taken and adds nothing (false). Everything behind that line
-- runs in a chain that nobody else can extend, so what stands can be read and compared. The index of
-- a leaf is counted here, never taken from the caller.
CREATE FUNCTION public.append_batch(
    _prev_size bigint, _new_size bigint, _root bytea, _at_us bigint, _note bytea,
    _records bytea[], _hashes bytea[], _digests text[], _kinds text[], _lines text[],
    _seqs bigint[], _ats bigint[], _payloads bytea[], _envelopes bytea[],
    _tile_levels smallint[], _tile_numbers bigint[], _tile_data bytea[],
    _blob_digests text[], _blob_sizes bigint[], _blob_data bytea[],
    _use_captures text[], _use_receipts text[]
) RETURNS boolean
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    _first bigint := coalesce(_prev_size, 0);
    _added integer := cardinality(_records);
BEGIN
    IF _prev_size IS NULL AND EXISTS (SELECT 1 FROM public.checkpoint) THEN
        RETURN false;
    END IF;
    INSERT INTO public.checkpoint (size, prev_size, root, at_us, note)
    VALUES (_new_size, _prev_size, _root, _at_us, _note)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;

    IF _new_size <> _first + _added OR _added < 1
       OR cardinality(_hashes) <> _added OR cardinality(_digests) <> _added
       OR cardinality(_kinds) <> _added OR cardinality(_lines) <> _added
       OR cardinality(_seqs) <> _added OR cardinality(_ats) <> _added
       OR cardinality(_payloads) <> _added OR cardinality(_envelopes) <> _added THEN
        RAISE EXCEPTION 'a batch adds as many leaves as it adds to the size'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF _first <> (SELECT coalesce(max(idx) + 1, 0) FROM public.leaf) THEN
        RAISE EXCEPTION 'the leaves do not end where the chain does'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF EXISTS (
        SELECT 1
        FROM (
            SELECT line, seq, row_number() OVER (PARTITION BY line ORDER BY nth) - 1 AS place
            FROM unnest(_lines, _seqs) WITH ORDINALITY AS added (line, seq, nth)
        ) AS ranked
        WHERE seq IS DISTINCT FROM place + coalesce(
            (SELECT max(standing.seq) + 1 FROM public.leaf AS standing
             WHERE standing.line = ranked.line), 0)
    ) THEN
        RAISE EXCEPTION 'seq is not dense in its line'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF EXISTS (
        SELECT 1
        FROM unnest(_ats) WITH ORDINALITY AS added (at_us, nth)
        WHERE at_us < coalesce(
            _ats[nth - 1], (SELECT standing.at_us FROM public.leaf AS standing
                            WHERE standing.idx = _first - 1), 0)
    ) OR _at_us <> _ats[_added] THEN
        RAISE EXCEPTION 'time goes back' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF EXISTS (
        SELECT 1
        FROM unnest(_records, _hashes, _digests, _payloads) AS added (record, hash, digest, payload)
        WHERE hash IS DISTINCT FROM sha256('\x00'::bytea || record)
           OR digest IS DISTINCT FROM encode(sha256(payload), 'hex')
    ) THEN
        RAISE EXCEPTION 'a digest is not that of its bytes'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;

    INSERT INTO public.statement (sha256, payload, envelope)
    SELECT * FROM unnest(_digests, _payloads, _envelopes);
    INSERT INTO public.leaf (idx, record, hash, statement, kind, line, seq, at_us)
    SELECT _first + nth - 1, record, hash, digest, kind, line, seq, at_us
    FROM unnest(_records, _hashes, _digests, _kinds, _lines, _seqs, _ats)
        WITH ORDINALITY AS added (record, hash, digest, kind, line, seq, at_us, nth);
    INSERT INTO public.tile (level, n, data)
    SELECT * FROM unnest(_tile_levels, _tile_numbers, _tile_data);
    INSERT INTO public.blob (sha256, size, zstd)
    SELECT * FROM unnest(_blob_digests, _blob_sizes, _blob_data)
    ON CONFLICT DO NOTHING;
    INSERT INTO public.capture_use (capture, receipt)
    SELECT * FROM unnest(_use_captures, _use_receipts);
    RETURN true;
END
$function$
