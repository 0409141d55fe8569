import { openDatabase } from '@/lib/db/client'

/** A program that ends without closing its database. */
const database = await openDatabase({ root: process.cwd(), dataDir: process.argv[2] as string })
const [row] = await database.query<{ word: string }>(`select 'done' as word from pg_sleep(0.2)`)
process.stdout.write(`${row?.word}\n`)
