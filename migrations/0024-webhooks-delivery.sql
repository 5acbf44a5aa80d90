-- expand: code from 0016 can run on this schema.
-- What receivers can sort by, when a try began, and what is known of an endpoint that fails.

-- The number of the event in its store, by which receivers sort: the position of its fact. Null for a sample, and where older
-- code has made the delivery. ordering_key of this table is what the delivery is about ('subscription:12', 'member:5'); in
-- webhook_queue and in facts it is the customer of the event.
alter table webhook_deliveries add column sequence bigint;

-- Store time at which the try under way was leased to be sent. Null where older code has leased it.
alter table webhook_queue add column started_at timestamptz;
-- Retries, which have a share of the places of a slow endpoint, however many first tries wait.
create index webhook_queue_retries on webhook_queue (store_id, endpoint_id, next_try_at, delivery_id) where ready and tries > 0;

-- Deliveries that have used all their tries since failing_since.
alter table webhook_endpoints add column failed_deliveries integer not null default 0;
-- Store time at which the store's people are to be warned that it fails. Null: not at all, or no more.
alter table webhook_endpoints add column warn_at timestamptz;
create index webhook_endpoints_to_warn on webhook_endpoints (store_id, warn_at) where warn_at is not null;
-- Endpoints that fail already are warned of too; their lost deliveries count from now on.
update webhook_endpoints set warn_at = failing_since + interval '24 hours'
 where failing_since is not null and status = 'enabled' and kind = 'url';
