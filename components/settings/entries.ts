import { msg, t } from '@/lib/i18n/t'

/** The parts of the settings, in the order that they are listed. */
export const SECTIONS = [
  { id: 'general', name: msg('General'), about: msg('Language, writing, titles, notifications') },
  { id: 'appearance', name: msg('Appearance'), about: msg('Theme, density, text, motion') },
  {
    id: 'models',
    name: msg('Models and answers'),
    about: msg('What a new chat begins with, and what follows an answer'),
  },
  { id: 'money', name: msg('Money'), about: msg('Credit and spending caps') },
  { id: 'privacy', name: msg('Privacy and data'), about: msg('What leaves, what is kept, backups') },
  { id: 'shortcuts', name: msg('Shortcuts'), about: msg('Keys, and how to change them') },
  { id: 'about', name: msg('About'), about: msg('Version, installing, reading offline') },
] as const

export type SectionId = (typeof SECTIONS)[number]['id']

export type SettingEntry = {
  /** Also where it is on its page: `/settings/appearance#density`. */
  id: string
  section: SectionId
  /** In English, as all that follows: shown with `t`. */
  name: string
  /** One or two sentences under the name. */
  about: string
  /** What people may look for instead. */
  words: string
}

/** Every setting there is: their pages show them, the search and the palette find them. */
export const SETTINGS = [
  {
    id: 'language',
    section: 'general',
    name: msg('Language'),
    about: msg('What these pages are written in. A model answers in the language that it is asked in.'),
    words: msg('translate translation locale region deutsch español français português العربية 日本語 中文 english'),
  },
  {
    id: 'enter',
    section: 'general',
    name: msg('Enter key'),
    about: msg('What Enter does while you write a message. The other one is always there with Shift or Ctrl.'),
    words: msg('send newline return ctrl submit keyboard message line'),
  },
  {
    id: 'titles',
    section: 'general',
    name: msg('Titles of chats'),
    about: msg('A title by the model costs a few tokens, and the first question goes out once more for it.'),
    words: msg('name rename automatic summary first words'),
  },
  {
    id: 'persona',
    section: 'general',
    name: msg('Who you are to characters'),
    about: msg('Characters are told this name and these words with every question. Leave them empty to tell nothing.'),
    words: msg('persona user name profile roleplay description'),
  },
  {
    id: 'notify',
    section: 'general',
    name: msg('Notifications'),
    about: msg('Says when an answer ended while you were elsewhere. The tab’s title counts such answers in any case.'),
    words: msg('notify alert background done finished sound badge desktop'),
  },
  {
    id: 'theme',
    section: 'appearance',
    name: msg('Theme'),
    about: msg('Light paper, dark paper, or what this device has.'),
    words: msg('dark mode light night colour color system contrast'),
  },
  {
    id: 'density',
    section: 'appearance',
    name: msg('Density'),
    about: msg('How close things stand. On touch screens buttons keep their size.'),
    words: msg('compact comfortable spacing tight small rows'),
  },
  {
    id: 'text',
    section: 'appearance',
    name: msg('Text size'),
    about: msg('For the whole page. Zooming in the browser works as well.'),
    words: msg('font large small bigger zoom letters reading accessibility'),
  },
  {
    id: 'motion',
    section: 'appearance',
    name: msg('Motion'),
    about: msg('Whether things fade and slide.'),
    words: msg('animation reduce reduced still transitions accessibility'),
  },
  {
    id: 'ledger',
    section: 'appearance',
    name: msg('Ledger of costs'),
    about: msg('What each answer took, beside it. Answers cost the same either way.'),
    words: msg('price receipt gutter tokens hide cost show'),
  },
  {
    id: 'sidebar',
    section: 'appearance',
    name: msg('Sidebar'),
    about: msg('The list of chats, where the window is wide enough.'),
    words: msg('history panel hide show list'),
  },
  {
    id: 'new-model',
    section: 'models',
    name: msg('Model of new chats'),
    about: msg('A chat that is open keeps the model that you choose in it.'),
    words: msg('default model llm preferred'),
  },
  {
    id: 'new-prompt',
    section: 'models',
    name: msg('System prompt of new chats'),
    about: msg('Sent before every question of a new chat, and paid for as part of it. Each chat can change its own.'),
    words: msg('instructions custom system default prompt'),
  },
  {
    id: 'new-sources',
    section: 'models',
    name: msg('Sources of new chats'),
    about: msg(
      'Where answers may look things up. Each use costs extra: $0.01 for a search, a page or a result from X.',
    ),
    words: msg('web search internet links citations x scraping price'),
  },
  {
    id: 'new-thinking',
    section: 'models',
    name: msg('Thinking of new chats'),
    about: msg('Models that think first write more, and cost more. Not every model can be told how hard to think.'),
    words: msg('reasoning effort think thoughts'),
  },
  {
    id: 'suggestions',
    section: 'models',
    name: msg('Suggest what to ask next'),
    about: msg(
      'Up to three short questions under the last answer, by the model that gave it. They cost a few tokens per answer.',
    ),
    words: msg('follow-up suggestions questions chips next ideas'),
  },
  {
    id: 'credit',
    section: 'money',
    name: msg('Credit'),
    about: msg('What is left, and the way to add to it.'),
    words: msg('balance top up pay usdc wallet add money receipts transactions'),
  },
  {
    id: 'caps',
    section: 'money',
    name: msg('Spending caps'),
    about: msg('The most that a message and a day may cost in this browser.'),
    words: msg('limit budget maximum day message cap spend'),
  },
  {
    id: 'leaves',
    section: 'privacy',
    name: msg('What leaves this device'),
    about: msg('What goes out with your next question, and what stays here.'),
    words: msg('privacy private anonymised sent data tier retention lock'),
  },
  {
    id: 'storage',
    section: 'privacy',
    name: msg('Storage'),
    about: msg('What your chats and files take, and whether the browser may clear them.'),
    words: msg('space disk used quota persist persistent size'),
  },
  {
    id: 'backup',
    section: 'privacy',
    name: msg('Backup, export and import'),
    about: msg(
      'Your chats are in this browser only. A backup is one file that this or another browser can read again.',
    ),
    words: msg('export import download json markdown chatgpt claude save restore'),
  },
  {
    id: 'vault',
    section: 'privacy',
    name: msg('Vault'),
    about: msg('Encrypts the chats of this browser with a passphrase that only you know.'),
    words: msg('encrypt encryption lock passphrase password secret idle'),
  },
  {
    id: 'wipe',
    section: 'privacy',
    name: msg('Wipe everything here'),
    about: msg(
      'Deletes all chats, drafts, files, characters and settings of this browser. Your credit stays with your wallet.',
    ),
    words: msg('delete clear remove erase reset all chats history'),
  },
  {
    id: 'letters',
    section: 'shortcuts',
    name: msg('Single letters'),
    about: msg(
      'Keys without Ctrl or Alt, such as L and ?. On a chat page, letters go to the message unless a button or a turn has the keyboard focus.',
    ),
    words: msg('keyboard off accessibility speech keys'),
  },
  {
    id: 'keys',
    section: 'shortcuts',
    name: msg('Keys'),
    about: msg('Choose a row and press the new keys.'),
    words: msg('keyboard shortcut hotkey rebind change binding'),
  },
  {
    id: 'install',
    section: 'about',
    name: msg('Install'),
    about: msg('As an app of its own it has its own window, and the browser is less likely to clear what it keeps.'),
    words: msg('app pwa home screen desktop add'),
  },
  {
    id: 'offline',
    section: 'about',
    name: msg('Reading offline'),
    about: msg('The pages of this app are kept by the browser, so that chats can be read without a connection.'),
    words: msg('service worker cache connection update version'),
  },
] as const satisfies readonly SettingEntry[]

export type SettingId = (typeof SETTINGS)[number]['id']

/** In the language of the page. */
export const sectionName = (id: SectionId): string => t(englishName(id))

const englishName = (id: SectionId): string => SECTIONS.find((section) => section.id === id)!.name

export const settingHref = ({ id, section }: Pick<SettingEntry, 'id' | 'section'>): string =>
  `/settings/${section}#${id}`

/**
 * The settings that have each word of the query, in the language of the page or in English; those whose name has them
 * come first.
 */
export function searchSettings(query: string): SettingEntry[] {
  const typed = wordsOf(query)
  if (typed.length === 0) return []
  const has = (text: string) => typed.every((one) => wordsOf(text).some((word) => isBegun(word, one)))
  const named = SETTINGS.filter(({ name }) => has(inBoth(name)))
  const found = SETTINGS.filter(({ name, about, words, section }) =>
    has([name, about, words, englishName(section)].map(inBoth).join(' ')),
  )
  return [...new Set<SettingEntry>([...named, ...found])]
}

const inBoth = (english: string): string => `${english} ${t(english)}`

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}$]+/gu) ?? []

const LATIN = /^[\p{Script=Latin}\p{M}\p{N}$]+$/u

/** Not all languages put spaces between words, or begin a word with its stem: there a word is found anywhere. */
const isBegun = (word: string, typed: string): boolean =>
  LATIN.test(typed) ? word.startsWith(typed) : word.includes(typed)
