import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { needsWeb } from '@/lib/endpoints/chat/needs-web'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { createEmbeddings } from '@/lib/services/engines/embedded/embeddings/embeddings'

const DOWNLOAD_MS = 300_000
const engine = createEmbeddings({ dataDir: path.resolve('.cache') })
const open = new AbortController().signal
const now = new Date('2026-07-18T12:00:00Z')
const decide = (question: string) => needsWeb(question, open, { engine, now })

beforeAll(() => engine.embed(['warm up'], open), DOWNLOAD_MS)
beforeEach(() => resetPerProcess('web-decision-examples'))
afterAll(() => engine.close())

const WEB = [
  "What's the weather like in Paris?",
  'Latest news about the Mars mission',
  'Who won the Champions League final?',
  'How much does a Tesla Model 3 cost?',
  'Is Queen Margrethe still alive?',
  'what is the current inflation rate in Turkey',
  'Summarise the results of the 2026 World Cup',
  'When is the next solar eclipse visible from Spain?',
  'Search the web for vegan bakeries in Ghent',
  'Apple share price',
  'Which version of PostgreSQL is the newest?',
  'What are the symptoms listed on https://health.example/flu ?',
  'how is the traffic in Los Angeles',
  'Has the new Zelda game been announced?',
  'Who is the prime minister of Japan?',
  'good hotels in Prague under 100 euros',
  'Is flight LH 400 delayed?',
  'What did the Federal Reserve decide yesterday?',
  'Wie wird das Wetter morgen in Köln?',
  'Quelles sont les dernières nouvelles de Paris ?',
  'opening hours of the Louvre',
  'Which laptop is the best to buy for students?',
  'tickets for Taylor Swift in Madrid',
  'What is the salary of a nurse in Norway?',
  'Did Arsenal win?',
  'What happened at the climate summit?',
  'concerts in Berlin this weekend',
  'How many people live in Nairobi now?',
  'any good reviews of the Fairphone 6?',
  'What is the price of gold?',
  'Does Lidl sell bicycles?',
  'Who won the Eurovision Song Contest?',
  'mortgage rates',
  'How tall is the new tower in Jeddah?',
  'When does daylight saving time end?',
  'Which countries have joined NATO?',
  'Is the M25 closed?',
  'Who is hosting the Oscars?',
  'What time is sunset in Oslo?',
  'how much do teachers earn in Ireland',
  'Is there a new Marvel film?',
  'Which airlines fly from Dublin to Boston?',
  'Nobel prize in physics',
  'what is the wifi password at Starbucks Reykjavik',
  'does Figma have an offline mode',
  'Did Apple announce anything?',
  'What is the address of the Anne Frank House?',
  'is Elden Ring on sale',
  'train from Vienna to Budapest',
  'Who replaced Jürgen Klopp at Liverpool?',
]
const NO_WEB = [
  'Hello there!',
  'Thanks a lot!',
  'Write a Python function that parses dates',
  'What is 17 * 23?',
  'Solve x^2 - 5x + 6 = 0',
  'Translate "what is the news today" into French',
  'Write a poem about the weather',
  'Explain how a rainbow forms',
  'Who painted the Mona Lisa?',
  'What is the square root of 144?',
  'How do I boil an egg?',
  'Give me three synonyms for happy',
  'Why do cats purr?',
  'What is the difference between a virus and a bacterium?',
  'Rewrite this sentence so that it sounds friendlier: give me the report',
  'Tell me a story about a dragon who likes tea',
  'What is object-oriented programming?',
  'How does gravity work?',
  'My code throws a null pointer exception, what could be wrong?',
  'Summarise the following text: The tide comes in twice a day.',
  'What is the past tense of swim?',
  'Who was Cleopatra?',
  'I feel lonely today',
  'Which is the largest ocean on Earth?',
  'Draft an email to my landlord about the heating',
  'How many minutes are in a day?',
  'List the first ten prime numbers',
  'What are good names for a puppy?',
  'Explain the French Revolution in two sentences',
  'Convert 5 miles to kilometres',
  'How many legs does a spider have?',
  'Can you recommend a way to stop procrastinating?',
  'What is the moral of the tortoise and the hare?',
  'who was Marie Curie',
  'Is water wet?',
  'How do I write a cover letter?',
  'Let us play chess',
  'Why is the sea salty?',
  'what is the largest planet',
  'Tell me about the Renaissance',
  'How do magnets work?',
  'What is the opposite of generous?',
  'Explain quantum entanglement',
  'Which vitamins are in oranges?',
  'How do I remove a red wine stain?',
  'What are the seven wonders of the ancient world?',
  'Make this list alphabetical: pear, apple, fig',
  'My boss ignores me, what should I do?',
  'how many bytes are in a kilobyte',
  'Is 91 a prime number?',
]

test('questions are told apart that examples and rules never saw', async () => {
  const missed: string[] = []
  let rightWeb = 0
  let rightNoWeb = 0
  for (const question of WEB) (await decide(question)) ? rightWeb++ : missed.push(`needs it: ${question}`)
  for (const question of NO_WEB) (await decide(question)) ? missed.push(`does not: ${question}`) : rightNoWeb++
  expect(rightWeb / WEB.length, missed.join('\n')).toBeGreaterThanOrEqual(0.85)
  expect(rightNoWeb / NO_WEB.length, missed.join('\n')).toBeGreaterThanOrEqual(0.85)
})
