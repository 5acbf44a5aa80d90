-- expand: code from 0016 can run on this schema.
-- The tags that we keep on customers and orders of the platform. `owner_id` is the number of the row here: members.id or orders.id.
-- The rows stay when nothing is wanted any more: the token of a lease must not begin again.
create table tag_owners (
  store_id bigint not null references stores,
  kind text not null check (kind in ('customer', 'order')),
  owner_id bigint not null,
  -- When the tags are next compared with the platform's (store time); null while nothing is known to differ.
  due_at timestamptz,
  -- Rises with each change of what is wanted or known to differ: what was compared before does not end it.
  version integer not null default 1,
  -- Tries in a row without an answer of the platform.
  attempts integer not null default 0,
  last_error text,
  -- Why the tags cannot be as they are wanted, in words. It is not tried again by itself.
  problem text,
  -- How often the tags were put back since `repairs_since`, because somebody else had changed them.
  repairs integer not null default 0,
  repairs_since timestamptz,
  changed_at timestamptz not null,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, kind, owner_id)
);
create index tag_owners_due on tag_owners (store_id, due_at) where due_at is not null;
create index tag_owners_with_problem on tag_owners (store_id, kind, owner_id) where problem is not null or attempts > 3;
select protect_table('tag_owners');

-- What is wanted, by who wants it. `tag_key` is the tag as the platform compares it: in lower case.
create table wanted_tags (
  store_id bigint not null references stores,
  kind text not null,
  owner_id bigint not null,
  source text not null,
  tag_key text not null,
  tag text not null,
  primary key (store_id, kind, owner_id, source, tag_key),
  foreign key (store_id, kind, owner_id) references tag_owners
);
select protect_table('wanted_tags');

-- What we last knew to be on the platform of tags that are or were wanted. `is_ours`: we have added it, or are about to; otherwise it
-- was there before, and is never removed.
create table known_tags (
  store_id bigint not null references stores,
  kind text not null,
  owner_id bigint not null,
  tag_key text not null,
  tag text not null,
  is_ours boolean not null,
  primary key (store_id, kind, owner_id, tag_key),
  foreign key (store_id, kind, owner_id) references tag_owners
);
select protect_table('known_tags');

-- The scheduled comparison of all owners of a store, one page at a time. Real time, as all reading of the platform on a schedule.
create table tag_walks (
  store_id bigint not null references stores,
  next_at timestamptz not null,
  -- The place after the last page.
  kind text not null default 'customer' check (kind in ('customer', 'order')),
  after_id bigint not null default 0,
  -- Owners of the present walk, or of the last one: compared, and found to differ.
  compared integer not null default 0,
  differed integer not null default 0,
  failures integer not null default 0,
  last_error text,
  finished_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id)
);
create index tag_walks_due on tag_walks (store_id, next_at);
select protect_table('tag_walks');

-- Members of before have no owners yet: the first walk makes them.
insert into tag_walks (store_id, next_at) select store_id, now() from stores;
