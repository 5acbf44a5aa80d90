-- expand: code from 0016 can run on this schema.
-- The cancellations of a store, by their internal ids, and the changes of status of a contract.
create index contract_activities_of_ends on contract_activities (store_id, id) where kind in ('cancelled', 'failed');
create index contract_activities_of_status on contract_activities (store_id, subscription_id, id)
  where kind in ('created', 'paused', 'resumed', 'reactivated', 'cancelled', 'expired', 'failed');
