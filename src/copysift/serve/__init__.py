"""The server: a web page, a REST interface and the MOSS protocol, over jobs that outlive it."""
