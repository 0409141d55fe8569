import 'server-only'
import type { FullCharacter, Visibility } from '@/lib/contract/characters/schema'
import { getDb } from '@/lib/db/client'
import { named } from '@/lib/services/characters/catalogue'

/** What no list shows of a person's character. */
export type Inner = Pick<
  FullCharacter,
  'prompt' | 'greeting' | 'context' | 'categories' | 'replacesServicePrompt' | 'chosenModelId'
>

/** The caller has made sure that it may be seen. */
export async function findInner(id: string): Promise<Inner | undefined> {
  const { query } = await getDb()
  const [inner] = await query<Inner>(
    `select prompt, greeting, context, categories, replaces_service_prompt as "replacesServicePrompt",
            model_id as "chosenModelId"
     from "character" where id = $1`,
    [id],
  )
  return inner
}

/** What is known of a person's character for drawing it. */
export type Pictured = {
  slug: string
  accountId: string
  visibility: Visibility
  /** `null` when its maker has sent none. */
  picture: Uint8Array | null
}

/** By slug or id, drafts too: the caller decides who may see it. */
export async function findPictureOf(slug: string): Promise<Pictured | undefined> {
  const parameters: unknown[] = []
  const where = named(slug, (value) => `$${parameters.push(value)}`)
  const { query } = await getDb()
  const [found] = await query<Pictured>(
    `select slug, account_id::text as "accountId", visibility, picture from "character" where ${where}`,
    parameters,
  )
  return found
}
