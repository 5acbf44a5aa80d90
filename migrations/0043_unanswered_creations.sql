-- What was asked of the platform and not answered is looked after by a job, also where nobody repeats the request.
alter table subscription_creations add column given_up_at timestamptz;

insert into jobs (store_id, kind, dedupe_key, payload, run_at)
select store_id, 'finish-creation', create_key, jsonb_build_object('createKey', create_key), created_at
  from subscription_creations
 where subscription_id is null
on conflict do nothing;
