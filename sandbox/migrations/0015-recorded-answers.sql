-- expand: code from 0001 can run on this schema.
-- What the recorded answers of a real store show besides what the service itself needs.

-- [{namespace, key}]: the metafields that a subscription asks for.
alter table sandbox.webhook_subscriptions add column metafields jsonb not null default '[]';
