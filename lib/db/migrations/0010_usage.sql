DROP INDEX "usage_account";--> statement-breakpoint
CREATE INDEX "usage_walk" ON "usage_record" USING btree ("account_id","at","txn_id");