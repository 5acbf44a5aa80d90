-- expand: code from 0016 can run on this schema.
-- An imported contract begins its history with its import.
drop index contract_activities_of_status;
create index contract_activities_of_status on contract_activities (store_id, subscription_id, id)
  where kind in ('created', 'imported', 'paused', 'resumed', 'reactivated', 'cancelled', 'expired', 'failed');
