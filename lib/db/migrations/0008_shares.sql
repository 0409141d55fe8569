CREATE TABLE "share" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"body" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "share_body" CHECK (octet_length("share"."body") <= 2097152)
);
--> statement-breakpoint
ALTER TABLE "share" ADD CONSTRAINT "share_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "share_account" ON "share" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "share_expiry" ON "share" USING btree ("expires_at");--> statement-breakpoint
-- Ciphertext does not get smaller.
alter table share alter column body set storage external;
