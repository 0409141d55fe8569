import { showToast } from '@/components/ui/toast'
import { t } from '@/lib/i18n/t'

type Open = (panel: Panel) => void

/*
 * Both stand where the composer's buttons are, so they are opened once their code is there: without a connection it may
 * never be, and nothing may hide the buttons then.
 */

export function openDictation(open: Open): void {
  import('@/components/chat/composer/dictation').then(
    () => open('dictate'),
    () => showToast({ text: t('You’re offline. Reconnect to dictate.') }),
  )
}

export function openRecorder(open: Open): void {
  import('@/components/common/recorder').then(
    () => open('record'),
    () => showToast({ text: t('The recorder couldn’t be loaded. Check your connection and try again.') }),
  )
}

export type Panel = 'add' | 'sources' | 'think' | 'record' | 'dictate' | 'character' | 'compare'
