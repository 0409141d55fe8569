CREATE TABLE "provider" (
	"name" text PRIMARY KEY NOT NULL,
	"preset" text,
	"definition" jsonb NOT NULL,
	"key" "bytea",
	"key_last4" text,
	"models" jsonb NOT NULL,
	"margin_percent" double precision NOT NULL,
	"is_paused" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
