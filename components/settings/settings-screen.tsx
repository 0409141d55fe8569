'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { usePathname } from 'next/navigation'
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react'
import { CapFields } from '@/components/common/spending-cap-fields'
import { TopBar } from '@/components/common/top-bar'
import { General } from '@/components/settings/general'
import { KeySettings } from '@/components/settings/keys'
import { NewChats } from '@/components/settings/new-chats'
import { Button } from '@/components/ui/button'
import { ComboboxField, useActiveOption } from '@/components/ui/combobox'
import { PreferenceSetting, Setting } from '@/components/ui/setting'
import { goTo } from '@/lib/browser/commands'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import { formatMoney, moneyOf } from '@/lib/browser/format/cost'
import { sessionQuery } from '@/lib/browser/queries'
import { SECTIONS, type SectionId, searchSettings, sectionName, settingHref } from '@/lib/browser/settings-entries'
import type { Session } from '@/lib/contract/session'
import { t } from '@/lib/i18n/t'

const Privacy = dynamic(() => import('@/components/settings/privacy').then((module) => module.Privacy), {
  ssr: false,
  loading: () => <div aria-hidden="true" className="skeleton mt-6 h-64 w-full" />,
})
const About = dynamic(() => import('@/components/settings/about').then((module) => module.About), {
  ssr: false,
  loading: () => <div aria-hidden="true" className="skeleton mt-6 h-40 w-full" />,
})

const PAGES: Record<SectionId, () => ReactNode> = {
  general: () => <General />,
  appearance: () => <Appearance />,
  models: () => <NewChats />,
  money: () => <MoneySettings />,
  privacy: () => <Privacy />,
  shortcuts: () => <KeySettings />,
  about: () => <About />,
}

export function SettingsScreen() {
  const section = sectionOf(usePathname())
  useTarget(section.id)
  return (
    <>
      <TopBar>
        <h1 className="px-2 text-14 font-medium">{t('Settings')}</h1>
      </TopBar>
      <div className="thin-scroll min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="mx-auto w-full max-w-240 px-4 pt-6 pb-16 lg:grid lg:grid-cols-[14rem_minmax(0,1fr)] lg:gap-x-12 lg:pt-10">
          <div className="lg:sticky lg:top-10 lg:self-start">
            <SettingsSearch onGo={showSetting} />
            <Sections open={section.id} />
          </div>
          <div className="mt-6 min-w-0 lg:mt-0">
            <h2 className="font-serif text-24 font-[440] tracking-[-0.01em]">{t(section.name)}</h2>
            {PAGES[section.id]()}
          </div>
        </div>
      </div>
    </>
  )
}

function Sections({ open }: { open: SectionId }) {
  const go = (event: MouseEvent, href: string) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    showSetting(href)
  }
  return (
    <nav aria-label={t('Settings')} className="mt-3 flex flex-wrap gap-1 lg:flex-col">
      {SECTIONS.map(({ id, name }) => (
        <a
          key={id}
          href={`/settings/${id}`}
          aria-current={id === open ? 'page' : undefined}
          onClick={(event) => go(event, `/settings/${id}`)}
          className={`inline-flex min-h-9 items-center rounded-control px-3 text-14 pointer-coarse:min-h-11 ${id === open ? 'bg-accent-soft text-ink' : 'text-ink-2 hover:bg-hover hover:text-ink'}`}
        >
          {t(name)}
        </a>
      ))}
    </nav>
  )
}

const SHOW_EVENT = 'lagoon:setting'

function showSetting(href: string): void {
  window.history.pushState(null, '', href)
  window.dispatchEvent(new Event(SHOW_EVENT))
}

function useTarget(section: SectionId) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section shows other settings
  useEffect(() => {
    let frame = 0
    const show = (triesLeft = MAX_FRAMES) => {
      const id = window.location.hash.slice(1)
      if (id === '') return
      const target = document.getElementById(id)
      // A part that is fetched first is waited for.
      if (!target) {
        if (triesLeft > 0) frame = requestAnimationFrame(() => show(triesLeft - 1))
        return
      }
      target.focus({ preventScroll: true })
      target.scrollIntoView({ block: 'start' })
    }
    const onShow = () => show()
    show()
    window.addEventListener(SHOW_EVENT, onShow)
    window.addEventListener('hashchange', onShow)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener(SHOW_EVENT, onShow)
      window.removeEventListener('hashchange', onShow)
    }
  }, [section])
}

const MAX_FRAMES = 120

function sectionOf(pathname: string) {
  const id = pathname.split('/')[2]
  return SECTIONS.find((section) => section.id === id) ?? SECTIONS[0]
}

function MoneySettings() {
  const session = useQuery(sessionQuery())
  return (
    <>
      <Setting id="credit">
        {session.isPending && <div aria-hidden="true" className="skeleton h-9 w-40" />}
        {session.isError && session.data === undefined && (
          <Button onClick={() => void session.refetch()}>{t('Balance unavailable. Retry')}</Button>
        )}
        {session.data === null && <Button onClick={() => void openWallet()}>{t('Sign in')}</Button>}
        {session.data && <Credit session={session.data} />}
      </Setting>
      <Setting id="caps" isWide>
        <div className="max-w-120">
          <CapFields />
        </div>
      </Setting>
    </>
  )
}

function Credit({ session }: { session: Session }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="pe-2 font-mono text-16 tabular-nums">{formatMoney(moneyOf(session.balanceUsd))}</span>
      <Button kind="primary" onClick={() => void openTopUp()}>
        {t('Add credit')}
      </Button>
      <Button onClick={() => goTo('/wallet')}>{t('Wallet and receipts')}</Button>
    </div>
  )
}

const LIST_ID = 'settings-found'
const optionId = (id: string) => `${LIST_ID}-${id}`

function SettingsSearch({ onGo }: { onGo: (href: string) => void }) {
  const [query, setQuery] = useState('')
  const found = searchSettings(query)
  const { active, set, move } = useActiveOption(found.map(({ id }) => id))
  const go = (id: string | undefined) => {
    const entry = found.find((one) => one.id === id)
    if (!entry) return
    setQuery('')
    onGo(settingHref(entry))
  }
  return (
    <search className="block rounded-card border border-line bg-surface [&>div:first-child]:border-b-0">
      <ComboboxField
        label={t('Search settings')}
        placeholder={t('Search settings')}
        listId={LIST_ID}
        activeId={active && optionId(active)}
        value={query}
        onChange={(value) => {
          setQuery(value)
          set(undefined)
        }}
        onMove={move}
        onPick={() => go(active)}
      />
      <div id={LIST_ID} role="listbox" aria-label={t('Matching settings')} className={found.length > 0 ? 'p-1' : ''}>
        {found.map((entry) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys; a pointer picks here
          <div
            key={entry.id}
            id={optionId(entry.id)}
            role="option"
            aria-selected={entry.id === active}
            onClick={() => go(entry.id)}
            onPointerMove={() => set(entry.id)}
            className="min-h-11 cursor-pointer rounded-control px-2 py-1 text-14 aria-selected:bg-hover"
          >
            {t(entry.name)}
            <span className="block text-12 text-ink-3">{sectionName(entry.section)}</span>
          </div>
        ))}
      </div>
      {query.trim() !== '' && found.length === 0 && (
        <p role="status" className="px-3 py-2 text-13 text-ink-3">
          {t('No results.')}
        </p>
      )}
    </search>
  )
}

function Appearance() {
  return (
    <>
      <PreferenceSetting
        id="theme"
        preference="theme"
        labels={{ light: t('Light'), dark: t('Dark'), system: t('Same as this device') }}
      />
      <PreferenceSetting
        id="density"
        preference="density"
        labels={{ comfortable: t('Comfortable'), compact: t('Compact') }}
      />
      <PreferenceSetting
        id="text"
        preference="text"
        labels={{ small: t('Small'), normal: t('Normal'), large: t('Large'), larger: t('Larger') }}
      />
      <PreferenceSetting
        id="motion"
        preference="motion"
        labels={{ system: t('Same as this device'), reduced: t('None') }}
      />
      <PreferenceSetting id="ledger" preference="ledger" labels={{ shown: t('Shown'), hidden: t('Hidden') }} />
      <PreferenceSetting id="sidebar" preference="sidebar" labels={{ open: t('Shown'), closed: t('Hidden') }} />
    </>
  )
}
