-- What a writing request under an Idempotency-Key was answered, kept for its repetitions.
create table idempotent_answers (
  store_id bigint not null references stores,
  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  -- SHA-256 of method, path and body: the same key may not mean something else.
  fingerprint bytea not null,
  status integer,
  body text,
  -- Real time: clients repeat in real time, whatever a test clock says.
  created_at timestamptz not null default clock_timestamp(),
  primary key (store_id, idempotency_key)
);
create index idempotent_answers_old on idempotent_answers (created_at);
select protect_table('idempotent_answers');
