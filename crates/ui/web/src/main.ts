import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { takeToken } from './lib/api';
import { listen } from './lib/keys.svelte';
import { live } from './lib/live.svelte';
import { router } from './lib/router.svelte';
import { theme } from './lib/theme.svelte';

takeToken();
router.start();
theme.start();
listen();
live.start();

const target = document.getElementById('app');
if (target) mount(App, { target });
