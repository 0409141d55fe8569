import { showToast } from '@/components/ui/toast'
import { ensureSession } from '@/lib/browser/account-gate'
import { errorOf } from '@/lib/browser/api'
import { pathOf } from '@/lib/browser/characters'
import { queryClient } from '@/lib/browser/queries'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import type { Character } from '@/lib/contract/characters/character.schema'
import { ApiError } from '@/lib/contract/errors'
import { t } from '@/lib/i18n/t'

/** Gives the person the card of a public character: its portrait, with its words inside. */
export async function exportPublic({ slug, name }: Pick<Character, 'slug' | 'name'>): Promise<void> {
  try {
    await ensureSession(queryClient(), t('To export this card'))
    const response = await fetch(`${pathOf(slug)}/export?format=png`)
    if (!response.ok) throw await errorOf(response)
    saveFile(fileNameOf(name, 'png'), await response.blob())
  } catch (error) {
    // The dialog that signs in was closed: the person knows.
    if (error instanceof ApiError && error.code === 'UNAUTHORIZED') return
    showToast({ text: t('The card could not be loaded. Try again.') })
  }
}
