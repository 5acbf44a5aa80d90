-- expand: code from 0016 can run on this schema.
-- Month and day as one number, such as 131 for 31 January: who has a birthday, or became a member on a day of the year (UTC).
create index members_by_birthday on members
  (store_id, ((extract(month from birth_date) * 100 + extract(day from birth_date))::int), id) where birth_date is not null;
create index members_by_anniversary on members
  (store_id, ((extract(month from member_since at time zone 'UTC') * 100 + extract(day from member_since at time zone 'UTC'))::int), id)
  where member_since is not null and status = 'active';
