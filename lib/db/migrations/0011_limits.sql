-- Unlogged: after a crash of the database nothing is under way and nothing has failed, and nothing of it is worth a write to its log.
CREATE UNLOGGED TABLE "concurrency_lease" (
	"name" text PRIMARY KEY NOT NULL,
	"places_limit" integer NOT NULL,
	"holders" jsonb NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "failed_request" (
	"caller" text PRIMARY KEY NOT NULL,
	"failed_at" double precision[] NOT NULL,
	"blocked_until" double precision NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
