-- expand: code from 0020 can run on this schema.
-- Bulk operations that run a mutation once for each line of an uploaded file.
alter table sandbox.bulk_operations
  add column type text not null default 'QUERY' check (type in ('QUERY', 'MUTATION')),
  -- The file of the variables; null for a query.
  add column upload_key text;

create table sandbox.staged_uploads (
  store_id bigint not null,
  key text not null,
  mime_type text not null,
  -- Null until the file is uploaded.
  content text,
  -- Nothing can be uploaded from then on.
  expires_at timestamptz not null,
  primary key (store_id, key)
);

grant select, insert, update, delete on sandbox.staged_uploads to perennial_operator, perennial_store;
