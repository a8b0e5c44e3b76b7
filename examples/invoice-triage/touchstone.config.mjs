// One variable decides who answers: with OPENAI_API_KEY a real model, without it the script beside this file.
// OPENAI_BASE_URL, if it is set, leads to any other endpoint that speaks the same language.
const { OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
const real = OPENAI_API_KEY ? 'openai/gpt-4o-mini' : undefined;

export default {
  providers: {
    offline: { kind: 'scripted', path: 'offline-model.yaml' },
    ...(OPENAI_BASE_URL && { openai: { kind: 'openai', baseUrl: OPENAI_BASE_URL } }),
  },
  // What the names of models in the definitions stand for here.
  models: {
    'triage-model': real ?? 'offline/triage',
    'letter-model': real ?? 'offline/letters',
    'letter-judge': real ?? 'offline/judge',
  },
};
