-- expand: code from 0016 can run on this schema.
-- Messages that have failed for good are few among those that are kept: they are listed by the auditor, and tried again on request.
create index inbound_webhooks_failed on inbound_webhooks (store_id, id) where status = 'failed';
