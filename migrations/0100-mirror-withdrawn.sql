-- expand: code from 0016 can run on this schema.
alter table metafield_stores
  -- Files of the platform with its customers that could not be read, in a row, and why the last one could not.
  add column file_failures integer not null default 0,
  add column file_error text;
-- Nothing is wanted of this owner any more: their data is to be erased.
alter table metafield_owners add column is_withdrawn boolean not null default false;
