-- expand: code from 0016 can run on this schema.
-- What people type to find somebody: the beginning of an address or of a name. These operators do not depend on the language of the database,
-- and find equal texts too. The index that is replaced goes last: until then members are read.
create index members_by_address on members (store_id, lower(email) text_pattern_ops);
create index members_by_name on members (store_id, lower(coalesce(first_name, '') || ' ' || coalesce(last_name, '')) text_pattern_ops);
create index members_by_last_name on members (store_id, lower(last_name) text_pattern_ops) where last_name is not null;
drop index members_by_email;
