import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { ImageStudio } from '@/components/studio/image/image-studio'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Studio') }
}

export default function StudioScreen() {
  return <ImageStudio />
}
