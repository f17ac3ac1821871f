-- In whose form a webhook posts, and the token of a CRM, sealed as the signing secret is.
ALTER TABLE webhook_subscriptions ADD COLUMN format {text} NOT NULL DEFAULT 'standard';
ALTER TABLE webhook_subscriptions ADD COLUMN token {blob};
