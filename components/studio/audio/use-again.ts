import { changeForm, type FormName } from '@/components/studio/media-form'
import { announce } from '@/components/ui/announcer'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import { goTo } from '@/lib/browser/shortcut-handlers'
import { NEW_CHAT } from '@/lib/browser/storage/draft-message'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Puts what a sound, a transcript or a film was made with back into its form. */
export function reuse(name: FormName, { modelId, prompt, settings, inputs }: Generation): void {
  changeForm(name, { modelId, prompt, settings, inputs })
  announce(t('Settings copied to the form.'))
  // On a phone the form is above the wall.
  requestAnimationFrame(() => document.getElementById('studio-form')?.scrollIntoView({ block: 'start' }))
}

/** Puts words into the draft of a new chat, after those that are there, and goes there. */
export function sendWordsToChat(words: string): void {
  const before = readDraft(NEW_CHAT)
  saveDraft(NEW_CHAT, [before, words].filter((part) => part.trim() !== '').join('\n\n'))
  goTo('/')
}
