-- expand: code from 0020 can run on this schema.
create sequence sandbox.segment_ids start 652810223922 increment 3;

create table sandbox.segments (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.segment_ids'),
  name text not null,
  -- Exactly as it came, blanks included.
  query text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);

grant select, insert, update, delete on sandbox.segments to perennial_operator, perennial_store;
grant usage on sequence sandbox.segment_ids to perennial_operator, perennial_store;
