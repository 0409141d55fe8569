import { ensureSession } from '@/lib/browser/account-gate'
import { errorOf } from '@/lib/browser/api'
import { pathOf } from '@/lib/browser/characters'
import { queryClient } from '@/lib/browser/queries'
import { t } from '@/lib/i18n/t'

/** Rates a character, or changes what was said. @throws ApiError as the service answers, or when nobody signed in. */
export function saveRating(slug: string, review: { rating: number; message: string | null }): Promise<void> {
  return send(slug, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(review),
  })
}

/** Takes one's rating back. @throws ApiError as `saveRating`. */
export const deleteRating = (slug: string): Promise<void> => send(slug, { method: 'DELETE' })

async function send(slug: string, init: RequestInit): Promise<void> {
  await ensureSession(queryClient(), t('To rate this character'))
  const response = await fetch(`${pathOf(slug)}/review`, init)
  if (!response.ok) throw await errorOf(response)
}
