import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { AudioStudio } from '@/components/studio/audio/audio-studio'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Studio: audio') }
}

export default function AudioStudioScreen() {
  return <AudioStudio />
}
