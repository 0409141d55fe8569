'use client'

import { useSyncExternalStore } from 'react'
import { Button } from '@/components/ui/button'
import { KeyCaps } from '@/components/ui/key-caps'
import { Sheet } from '@/components/ui/modal'
import { goTo } from '@/lib/browser/commands'
import { usePreference } from '@/lib/browser/preferences'
import { type ChosenKeys, chosenKeys, isLetter, keysOf, SHORTCUTS, type ShortcutGroup } from '@/lib/browser/shortcuts'
import { msg, t } from '@/lib/i18n/t'

const GROUPS: readonly ShortcutGroup[] = [msg('Everywhere'), msg('In a chat'), msg('Go to')]

const LOCAL: readonly { name: string; keys: string }[] = [
  { name: msg('Run RPC call'), keys: 'Mod+Enter' },
  { name: msg('Move through a list'), keys: 'ArrowDown' },
]

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const [enter] = usePreference('enterSends')
  const writing =
    enter === 'on'
      ? [
          { name: msg('Send'), keys: 'Enter' },
          { name: msg('New line'), keys: 'Shift+Enter' },
        ]
      : [
          { name: msg('Send'), keys: 'Mod+Enter' },
          { name: msg('New line'), keys: 'Enter' },
        ]
  const change = () => {
    onClose()
    goTo('/settings/shortcuts')
  }
  return (
    <Sheet isOpen onClose={onClose} title={t('Keyboard shortcuts')}>
      {GROUPS.map((group) => (
        <Group key={group} name={group} shortcuts={SHORTCUTS.filter((one) => one.group === group)} />
      ))}
      <h3 className="mt-5 mb-1 text-13 font-medium text-ink-3">{t('In fields and lists')}</h3>
      <ul>
        {[...writing, ...LOCAL].map(({ name, keys }) => (
          <Line key={name} name={name} keys={keys} />
        ))}
      </ul>
      <div className="mt-5">
        <Button onClick={change}>{t('Change shortcuts')}</Button>
      </div>
    </Sheet>
  )
}

function Group({ name, shortcuts }: { name: string; shortcuts: typeof SHORTCUTS }) {
  const chosen = useChosenKeys()
  const [letters] = usePreference('letterKeys')
  return (
    <>
      <h3 className="mt-5 mb-1 text-13 font-medium text-ink-3">{t(name)}</h3>
      <ul>
        {shortcuts.map((shortcut) => {
          const keys = keysOf(shortcut, chosen)
          return <Line key={shortcut.id} name={shortcut.name} keys={letters === 'off' && isLetter(keys) ? '' : keys} />
        })}
      </ul>
    </>
  )
}

function Line({ name, keys }: { name: string; keys: string }) {
  return (
    <li className="flex min-h-9 items-center justify-between gap-4 border-b border-line py-1 last:border-0">
      <span className="min-w-0">{t(name)}</span>
      <KeyCaps keys={keys} />
    </li>
  )
}

const NOTHING: ChosenKeys = {}
const NEVER = () => () => undefined

/** Keys that the person chose; none in the first render, as on the server. */
export function useChosenKeys(): ChosenKeys {
  const [text] = usePreference('keys')
  const isHere = useSyncExternalStore(
    NEVER,
    () => true,
    () => false,
  )
  return isHere ? chosenKeys(text) : NOTHING
}
