-- Names and addresses changed by our API that the platform does not have yet. Its news of these fields is older than ours.
alter table members add column profile_pending text[] not null default '{}'
  check (profile_pending <@ '{email,first_name,last_name}');
