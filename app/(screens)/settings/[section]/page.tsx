import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ready } from '@/app/page-language'
import { SettingsScreen } from '@/components/settings/settings-screen'
import { SECTIONS } from '@/lib/browser/settings-entries'
import { t } from '@/lib/i18n/t'

type Props = { params: Promise<{ section: string }> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const section = await sectionOf(params)
  await ready()
  return { title: t(section.name) }
}

export default async function SettingsSectionPage({ params }: Props) {
  await sectionOf(params)
  return <SettingsScreen />
}

async function sectionOf(params: Props['params']) {
  const { section } = await params
  return SECTIONS.find(({ id }) => id === section) ?? notFound()
}
