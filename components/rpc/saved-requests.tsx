'use client'

import { ChevronDown, ChevronUp } from 'lucide-react'
import dynamic from 'next/dynamic'
import { Tabs } from 'radix-ui'
import { SkeletonLines } from '@/components/rpc/notices'
import {
  type RequestsTab,
  showRequestsTab,
  toggleRequestsPanel,
  useRequestsPanel,
} from '@/components/rpc/request-draft'
import { IconButton } from '@/components/ui/button'
import { msg, t } from '@/lib/i18n/t'

const HistoryList = dynamic(() => import('@/components/rpc/history-list').then((module) => module.HistoryList), {
  ssr: false,
  loading: () => <SkeletonLines className="space-y-4 px-4 pt-4" />,
})
const SavedList = dynamic(() => import('@/components/rpc/saved-list').then((module) => module.SavedList), {
  ssr: false,
  loading: () => <SkeletonLines className="space-y-4 px-4 pt-4" />,
})

const TABS = [
  { tab: 'history', name: msg('History'), List: HistoryList },
  { tab: 'saved', name: msg('Saved'), List: SavedList },
] as const
const TAB =
  'min-h-10 border-b-2 border-transparent px-2 text-13 font-medium text-ink-3 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink pointer-coarse:min-h-11'
const PANEL = 'h-72 min-h-0 outline-offset-[-2px] md:h-[clamp(9rem,30dvh,20rem)]'

export function SavedRequests() {
  const { tab, isOpen } = useRequestsPanel()
  return (
    <section
      aria-label={t('History and saved requests')}
      className="border-t border-line md:col-start-1 md:row-start-3 lg:col-start-2"
    >
      <h2 className="sr-only">{t('History and saved requests')}</h2>
      <Tabs.Root value={tab} onValueChange={(value) => showRequestsTab(value as RequestsTab)}>
        <div className="flex items-center justify-between pe-2">
          <Tabs.List aria-label={t('History and saved requests')} className="flex gap-2 px-2">
            {TABS.map(({ tab, name }) => (
              <Tabs.Trigger key={tab} value={tab} className={TAB} onClick={() => showRequestsTab(tab)}>
                {t(name)}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <IconButton
            label={isOpen ? t('Hide history') : t('Show history')}
            aria-expanded={isOpen}
            onClick={toggleRequestsPanel}
          >
            {isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronUp aria-hidden="true" />}
          </IconButton>
        </div>
        {isOpen &&
          TABS.map(({ tab, List }) => (
            <Tabs.Content key={tab} value={tab} className={PANEL}>
              <List />
            </Tabs.Content>
          ))}
      </Tabs.Root>
    </section>
  )
}
