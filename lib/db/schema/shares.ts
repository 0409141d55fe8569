import { sql } from 'drizzle-orm'
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from '@/lib/db/schema/accounts'
import { bytea, time } from '@/lib/db/schema/columns'

/** Chats shared by link, as ciphertext: the key is in the fragment of the link, which browsers do not send. */
export const shares = pgTable(
  'share',
  {
    id: text('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    secretHash: bytea('secret_hash').notNull(),
    body: bytea('body').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    index('share_account').on(t.accountId, t.createdAt),
    index('share_expiry').on(t.expiresAt),
    check('share_body', sql`octet_length(${t.body}) <= 2097152`),
  ],
)
