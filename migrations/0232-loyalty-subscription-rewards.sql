-- expand: code from 0016 can run on this schema.
-- What a reward has given on a contract of the customer.
alter table loyalty_awards
  add column grant_id bigint,
  add foreign key (store_id, grant_id) references contract_grants;
create unique index loyalty_awards_by_grant on loyalty_awards (store_id, grant_id) where grant_id is not null;
