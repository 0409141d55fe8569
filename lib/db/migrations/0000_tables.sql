CREATE TABLE "account" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"ref" text,
	"name" text DEFAULT '' NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"is_pro" boolean DEFAULT false NOT NULL,
	"rate_multiplier" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "account_ref_unique" UNIQUE("ref")
);
--> statement-breakpoint
CREATE TABLE "api_key" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"type" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"hash" "bytea" NOT NULL,
	"last6" text NOT NULL,
	"model_privacy" text DEFAULT 'ALL' NOT NULL,
	"limit_usd" bigint,
	"limit_diem" bigint,
	"limit_period" text DEFAULT 'EPOCH' NOT NULL,
	"period_start" timestamp with time zone DEFAULT now() NOT NULL,
	"spent_usd" bigint DEFAULT 0 NOT NULL,
	"spent_diem" bigint DEFAULT 0 NOT NULL,
	"held_usd" bigint DEFAULT 0 NOT NULL,
	"held_diem" bigint DEFAULT 0 NOT NULL,
	"floor_usd" bigint DEFAULT 0 NOT NULL,
	"floor_diem" bigint DEFAULT 0 NOT NULL,
	"rate_multiplier" integer DEFAULT 1 NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_key_held" CHECK ("api_key"."held_usd" >= 0 and "api_key"."held_diem" >= 0)
);
--> statement-breakpoint
CREATE TABLE "balance" (
	"account_id" uuid NOT NULL,
	"currency" text NOT NULL,
	"posted" bigint DEFAULT 0 NOT NULL,
	"held" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "balance_account_id_currency_pk" PRIMARY KEY("account_id","currency"),
	CONSTRAINT "balance_held" CHECK ("balance"."held" >= 0),
	CONSTRAINT "balance_available" CHECK ("balance"."posted" - "balance"."held" >= 0)
);
--> statement-breakpoint
CREATE TABLE "counter" (
	"key" text PRIMARY KEY NOT NULL,
	"used" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "entry" (
	"txn_id" uuid NOT NULL,
	"leg" smallint NOT NULL,
	"account_id" uuid,
	"house" text,
	"currency" text NOT NULL,
	"amount" bigint NOT NULL,
	"balance_after" bigint,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "entry_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "entry_txn_id_leg_pk" PRIMARY KEY("txn_id","leg"),
	CONSTRAINT "entry_amount" CHECK ("entry"."amount" <> 0),
	CONSTRAINT "entry_owner" CHECK (("entry"."account_id" is null) <> ("entry"."house" is null))
);
--> statement-breakpoint
CREATE TABLE "hold" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"key_id" uuid,
	"currency" text NOT NULL,
	"request_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"captured" bigint,
	"excess" bigint DEFAULT 0 NOT NULL,
	"checkpoint" bigint DEFAULT 0 NOT NULL,
	"checkpoint_usage" jsonb,
	"end_reason" text,
	"ended_at" timestamp with time zone,
	"state" text DEFAULT 'open' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "hold_amount" CHECK ("hold"."amount" > 0),
	CONSTRAINT "hold_ended" CHECK (("hold"."state" = 'open') = ("hold"."ended_at" is null)),
	CONSTRAINT "hold_captured" CHECK ("hold"."captured" is null or ("hold"."captured" > 0 and "hold"."captured" <= "hold"."amount")),
	CONSTRAINT "hold_state" CHECK (("hold"."state" = 'captured') = ("hold"."captured" is not null))
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rate_limit_breach" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"key_id" uuid,
	"model_id" text NOT NULL,
	"tier" text NOT NULL,
	"type" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"hash" "bytea" NOT NULL,
	"kind" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "txn" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"request_id" text,
	"reason" text,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "txn_idempotency_key_unique" UNIQUE("idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "usage_record" (
	"txn_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"key_id" uuid,
	"currency" text NOT NULL,
	"request_id" text NOT NULL,
	"model_id" text,
	"model_type" text,
	"lines" jsonb NOT NULL,
	"prompt_tokens" integer,
	"completion_tokens" integer,
	"duration_ms" integer,
	"is_estimated" boolean DEFAULT false NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "balance" ADD CONSTRAINT "balance_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entry" ADD CONSTRAINT "entry_txn_id_txn_id_fk" FOREIGN KEY ("txn_id") REFERENCES "public"."txn"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entry" ADD CONSTRAINT "entry_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hold" ADD CONSTRAINT "hold_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hold" ADD CONSTRAINT "hold_key_id_api_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_record" ADD CONSTRAINT "usage_record_txn_id_txn_id_fk" FOREIGN KEY ("txn_id") REFERENCES "public"."txn"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_record" ADD CONSTRAINT "usage_record_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_key_hash" ON "api_key" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_key_account" ON "api_key" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "entry_account" ON "entry" USING btree ("account_id","seq") WHERE account_id is not null;--> statement-breakpoint
CREATE INDEX "hold_open" ON "hold" USING btree ("expires_at") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "hold_account" ON "hold" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "breach_account" ON "rate_limit_breach" USING btree ("account_id","at");--> statement-breakpoint
CREATE UNIQUE INDEX "session_hash" ON "session" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "session_account" ON "session" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "txn_request" ON "txn" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "usage_account" ON "usage_record" USING btree ("account_id","at");--> statement-breakpoint
CREATE INDEX "usage_request" ON "usage_record" USING btree ("request_id");