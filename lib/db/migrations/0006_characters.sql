CREATE TABLE "character_review" (
	"id" uuid PRIMARY KEY NOT NULL,
	"character_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"rating" smallint NOT NULL,
	"message" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "character_review_rating" CHECK ("character_review"."rating" between 1 and 5)
);
--> statement-breakpoint
CREATE TABLE "character_use" (
	"character_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "character_use_character_id_account_id_pk" PRIMARY KEY("character_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "character" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"prompt" text NOT NULL,
	"greeting" text DEFAULT '' NOT NULL,
	"context" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"categories" text[] DEFAULT '{}' NOT NULL,
	"model_id" text,
	"is_adult" boolean DEFAULT false NOT NULL,
	"is_web_enabled" boolean DEFAULT false NOT NULL,
	"replaces_service_prompt" boolean DEFAULT false NOT NULL,
	"visibility" text DEFAULT 'draft' NOT NULL,
	"picture" "bytea",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "character_slug_unique" UNIQUE("slug"),
	CONSTRAINT "character_picture" CHECK (octet_length("character"."picture") <= 262144)
);
--> statement-breakpoint
ALTER TABLE "character_review" ADD CONSTRAINT "character_review_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "character_use" ADD CONSTRAINT "character_use_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "character" ADD CONSTRAINT "character_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "character_review_once" ON "character_review" USING btree ("character_id","account_id");--> statement-breakpoint
CREATE INDEX "character_review_newest" ON "character_review" USING btree ("character_id","created_at");--> statement-breakpoint
CREATE INDEX "character_review_account" ON "character_review" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "character_account" ON "character" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "character_published" ON "character" USING btree ("created_at") WHERE visibility = 'published';