CREATE TABLE "allowance" (
	"account_id" uuid NOT NULL,
	"day" text NOT NULL,
	"granted" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "allowance_account_id_day_pk" PRIMARY KEY("account_id","day")
);
--> statement-breakpoint
CREATE TABLE "payment" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"network" text NOT NULL,
	"payer" text NOT NULL,
	"amount" bigint NOT NULL,
	"payload" jsonb,
	"state" text DEFAULT 'received' NOT NULL,
	"may_serve" boolean DEFAULT false NOT NULL,
	"transaction" text,
	"reason" text,
	"dead_after" bigint,
	"lease_until" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now() NOT NULL,
	"balance_after" bigint,
	"credited_at" timestamp with time zone,
	"is_final" boolean DEFAULT false NOT NULL,
	"block" bigint,
	"misses" integer DEFAULT 0 NOT NULL,
	"reversals" integer DEFAULT 0 NOT NULL,
	"written_off" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_key_unique" UNIQUE("key"),
	CONSTRAINT "payment_amount" CHECK ("payment"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "sign_in_nonce" (
	"address" text NOT NULL,
	"nonce" text NOT NULL,
	"message_hash" "bytea" NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sign_in_nonce_address_nonce_pk" PRIMARY KEY("address","nonce")
);
--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "browser" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "allowance" ADD CONSTRAINT "allowance_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payment_payer" ON "payment" USING btree ("payer","created_at");--> statement-breakpoint
CREATE INDEX "payment_open" ON "payment" USING btree ("next_check_at") WHERE state in ('received', 'settling', 'unknown', 'confirming') or (state = 'credited' and not is_final);--> statement-breakpoint
CREATE INDEX "payment_transaction" ON "payment" USING btree ("transaction");--> statement-breakpoint
CREATE INDEX "sign_in_nonce_expiry" ON "sign_in_nonce" USING btree ("expires_at");